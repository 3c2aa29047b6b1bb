// How much a document holds now: whether it has been read, its elements, its characters, dialogs and pop-ups so far, and
// calls that wait for their time.
() => {
  const seen = window[Symbol.for('blogcrawler.seen')] || { dialogs: 0, popups: 0 };
  const timers = window[Symbol.for('blogcrawler.timers')];
  const text = document.body ? document.body.textContent.length : 0;
  const elements = document.getElementsByTagName('*').length;
  return [document.readyState === 'loading' ? 0 : 1, elements, text, seen.dialogs, seen.popups, timers ? timers.waiting.size : 0];
}
