// Goes down the page step by step, and in the boxes in it that have their own scrollbar, so that what waits to be seen begins to
// load. Returns the page's height.
// Observers are told with the next frame that is drawn, and only of what has left the view or come into it: what is in view
// from the last time on has to leave it first.
async () => {
  const timers = window[Symbol.for('blogcrawler.timers')];
  const later = timers ? timers.start : setTimeout; // the page's own would be hurried
  const MOST_BOXES = 20;
  const LOWEST = 100;
  const drawn = () => Promise.race([
    new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => later(done, 0)))),
    new Promise((done) => later(done, 2000)),
  ]);
  const scrolls = (element) => element.clientHeight >= LOWEST && element.scrollHeight > element.clientHeight
    && /auto|scroll/.test(getComputedStyle(element).overflowY);
  for (const frame of document.querySelectorAll('iframe[loading=lazy]')) frame.loading = 'eager';
  const root = document.scrollingElement || document.documentElement;
  const boxes = document.body ? [...document.body.querySelectorAll('*')].filter(scrolls).slice(0, MOST_BOXES) : [];
  const step = Math.max(window.innerHeight, root.scrollHeight / 20);
  const start = Math.max(0, window.scrollY - 2 * window.innerHeight);
  window.scrollTo(0, start);
  for (const box of boxes) box.scrollTop -= 2 * box.clientHeight;
  await drawn();
  for (let y = start; y < root.scrollHeight; y += step) {
    window.scrollTo(0, y);
    await new Promise((done) => later(done, 20));
  }
  window.scrollTo(0, root.scrollHeight);
  for (const box of boxes) box.scrollTop = box.scrollHeight;
  document.dispatchEvent(new Event('scroll', { bubbles: true })); // a page that is all in view scrolls by nothing, and in a lower window would
  await drawn();
  return root.scrollHeight;
}
