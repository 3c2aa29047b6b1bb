// Runs in each document before its own scripts: shadow roots become readable, it is known what reacts to clicks and what
// waits for its time, and what would interrupt a reader is counted and does not happen.
(() => {
  const seen = { dialogs: 0, popups: 0 };
  Object.defineProperty(globalThis, Symbol.for('blogcrawler.seen'), { value: seen });
  window.alert = () => { seen.dialogs += 1; };
  window.confirm = () => { seen.dialogs += 1; return false; };
  window.prompt = () => { seen.dialogs += 1; return null; };
  window.print = () => { seen.dialogs += 1; };
  delete window.RTCPeerConnection; // would ask for other machines of the local network
  delete window.webkitRTCPeerConnection;
  window.open = () => { seen.popups += 1; return null; };
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) { return attach.call(this, { ...options, mode: 'open' }); };

  const REACTS = Symbol.for('blogcrawler.reacts');
  const listen = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    if (type === 'click' && (this instanceof Node || this === window)) this[REACTS] = true;
    return listen.call(this, type, ...rest);
  };

  // Timers that a page has set for some seconds need not be waited for: when it is quiet, they are called at once.
  const SHORTEST_MS = 100;
  const LONGEST_MS = 5000;
  const start = window.setTimeout;
  const stop = window.clearTimeout;
  const waiting = new Map();
  window.setTimeout = function (call, wait, ...values) {
    if (typeof call !== 'function' || !(wait >= SHORTEST_MS && wait <= LONGEST_MS)) return start.call(window, call, wait, ...values);
    const run = () => { waiting.delete(id); call.apply(window, values); };
    const id = start.call(window, run, wait);
    waiting.set(id, { run, due: performance.now() + wait, hurried: 0 });
    return id;
  };
  window.clearTimeout = (id) => {
    const timer = waiting.get(id);
    waiting.delete(id);
    if (timer && timer.hurried) stop.call(window, timer.hurried);
    stop.call(window, id);
  };
  const hurry = () => {
    const timers = [...waiting].filter(([, timer]) => !timer.hurried).sort(([, a], [, b]) => a.due - b.due);
    for (const [id, timer] of timers) {
      stop.call(window, id);
      timer.hurried = start.call(window, timer.run, 0);
    }
    return timers.length;
  };
  Object.defineProperty(globalThis, Symbol.for('blogcrawler.timers'), { value: { hurry, waiting, start: start.bind(window) } });
})();
