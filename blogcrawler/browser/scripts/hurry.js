// Calls now what a document's scripts have put off by some seconds; returns how many calls that are.
() => {
  const timers = window[Symbol.for('blogcrawler.timers')];
  return timers ? timers.hurry() : 0;
}
