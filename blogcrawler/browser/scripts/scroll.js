// Goes down the page step by step, so that what waits to be seen begins to load. Returns the page's height.
// Observers are told with the next frame that is drawn, and only of what has left the view or come into it: what is in view
// from the last time on has to leave it first.
async () => {
  const drawn = () => Promise.race([
    new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)))),
    new Promise((done) => setTimeout(done, 2000)),
  ]);
  for (const frame of document.querySelectorAll('iframe[loading=lazy]')) frame.loading = 'eager';
  const root = document.scrollingElement || document.documentElement;
  const step = Math.max(window.innerHeight, root.scrollHeight / 20);
  const start = Math.max(0, window.scrollY - 2 * window.innerHeight);
  window.scrollTo(0, start);
  await drawn();
  for (let y = start; y < root.scrollHeight; y += step) {
    window.scrollTo(0, y);
    await new Promise((done) => setTimeout(done, 20));
  }
  window.scrollTo(0, root.scrollHeight);
  await drawn();
  return root.scrollHeight;
}
