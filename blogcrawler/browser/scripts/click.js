// Clicks the controls that show more: those that `selectors` know, and those that say so in one of the `phrases`. One
// that was clicked before is clicked again only if the document has grown since. At most `most` clicks; returns how many.
// With `undo`, what was clicked last is clicked once more.
({ selectors, phrases, most, undo }) => {
  const KEY = Symbol.for('blogcrawler.clicks');
  const state = window[KEY] || (window[KEY] = { sizes: new WeakMap(), last: [] });
  if (undo) {
    for (const control of state.last.splice(0)) control.click();
    return 0;
  }
  const SPEAKING = 'button, [role=button], input[type=button], a:not([href]), a[href=""], a[href^="#"], a[href^="javascript:" i]';
  const roots = [document];
  let size = 0;
  for (const root of roots) {
    for (const element of root.querySelectorAll('*')) {
      size += 1;
      if (element.shadowRoot) roots.push(element.shadowRoot);
    }
  }
  const says = (control) => [control.innerText, control.value, control.getAttribute('aria-label')].some((text) => {
    if (typeof text !== 'string' || text.length > 80) return false;
    const words = text.toLowerCase().replace(/[\d\s()[\]{}.,:+…»›▼▾↓-]+/g, ' ').trim();
    return phrases.some((phrase) => words.includes(phrase));
  });
  const isUsable = (control) => !control.disabled && control.getAttribute('aria-disabled') !== 'true'
    && control.getAttribute('aria-expanded') !== 'true' && control.getClientRects().length > 0;
  // notes of an article lead to another place in it, whatever they say
  const isNote = (control) => control.matches('article a[href^="#"]') && control.getAttribute('href').length > 1;
  const controls = new Set();
  for (const root of roots) {
    for (const control of root.querySelectorAll(selectors)) controls.add(control);
    for (const control of root.querySelectorAll(SPEAKING)) {
      if (!(control.type === 'submit' && control.form) && !isNote(control) && !control.closest('label') && says(control)) controls.add(control);
    }
  }
  state.last = [];
  for (const control of controls) {
    if (state.last.length >= most) break;
    const before = state.sizes.get(control);
    if ((before !== undefined && size <= before) || !isUsable(control)) continue;
    state.sizes.set(control, size);
    state.last.push(control);
    control.click();
  }
  return state.last.length;
}
