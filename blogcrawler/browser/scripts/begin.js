// Runs in each document before its own scripts: shadow roots become readable, and what would interrupt a reader is
// counted and does not happen.
(() => {
  const seen = { dialogs: 0, popups: 0 };
  Object.defineProperty(globalThis, Symbol.for('blogcrawler.seen'), { value: seen });
  window.alert = () => { seen.dialogs += 1; };
  window.confirm = () => { seen.dialogs += 1; return false; };
  window.prompt = () => { seen.dialogs += 1; return null; };
  window.print = () => { seen.dialogs += 1; };
  window.open = () => { seen.popups += 1; return null; };
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) { return attach.call(this, { ...options, mode: 'open' }); };
})();
