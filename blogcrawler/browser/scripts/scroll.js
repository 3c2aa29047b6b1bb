// Goes down the page step by step, so that what waits to be seen begins to load: observers
// are told when the next frame is drawn, which takes its time on a busy machine. Returns the page's height.
async () => {
  for (const frame of document.querySelectorAll('iframe[loading=lazy]')) frame.loading = 'eager';
  const root = document.scrollingElement || document.documentElement;
  const step = Math.max(window.innerHeight, root.scrollHeight / 20);
  for (let y = window.scrollY; y < root.scrollHeight; y += step) {
    window.scrollTo(0, y);
    await new Promise((done) => setTimeout(done, 20));
  }
  window.scrollTo(0, root.scrollHeight);
  const shown = new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))));
  await Promise.race([shown, new Promise((done) => setTimeout(done, 2000))]);
  return root.scrollHeight;
}
