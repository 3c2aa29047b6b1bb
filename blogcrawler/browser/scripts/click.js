// Clicks controls that show more: those that `selectors` know, and those that say so in one of the `phrases`, or nothing but one
// of the phrases `whole`, and hold none of the words `never`. Those of one kind, which say the same, at a time; at most `most`
// clicks; returns how many. What the document holds is remembered before, for keep.js, which also says whether a kind is worth
// another click.
({ selectors, phrases, whole, never, most }) => {
  const KEY = Symbol.for('blogcrawler.clicks');
  const REACTS = Symbol.for('blogcrawler.reacts');
  const LONGEST = 80;
  const TRIES = 2; // clicks of a kind without anything new; one more where it has brought something before
  const SPEAKING = 'button, [role=button], input[type=button], input[type=submit], a:not([href]), a[href=""], a[href^="#"], a[href^="javascript:" i]';
  const LEADS_ON = 'a[href]:not([href=""]):not([href^="#"]):not([href^="javascript:" i]):not([role=button])';
  const NO_LABEL = 'article, h1, h2, h3, h4, h5, h6, label, legend, caption, summary, figcaption, pre, code, textarea, script, style';
  const TO_FILL_IN = 'textarea, select, input:not([type=hidden]):not([type=submit]):not([type=button])';
  const state = window[KEY] || (window[KEY] = { kinds: new Map(), clicked: new WeakMap(), speaking: new WeakSet(), last: null, held: [], kept: [], seen: new Set(), keys: new Set(), most: 0 });

  const wordsOf = (text) => text.toLowerCase().replace(/[\d\s()[\]{}.,:+…«»‹›▼▾▶►◀◄↓←→⟵⟶-]+/g, ' ').trim();
  const says = (control) => [control.innerText, control.value, control.getAttribute('aria-label')].some((text) => {
    if (typeof text !== 'string' || text.length > LONGEST) return false;
    const words = wordsOf(text);
    return (whole.includes(words) || phrases.some((phrase) => words.includes(phrase))) && !never.some((word) => ` ${words} `.includes(` ${word} `));
  });
  const isUsable = (control) => !control.disabled && control.getAttribute('aria-disabled') !== 'true'
    && control.getAttribute('aria-expanded') !== 'true' && control.getClientRects().length > 0;
  // notes of an article lead to another place in it, whatever they say
  const isNote = (control) => control.matches('article a[href^="#"]') && control.getAttribute('href').length > 1;
  const sendsWhatIsFilledIn = (control) => control.type === 'submit' && control.form && control.form.querySelector(TO_FILL_IN);
  const mayBeClicked = (control) => !sendsWhatIsFilledIn(control) && !isNote(control) && !control.closest('label') && !control.closest(LEADS_ON);

  // Numbers side by side of which one is marked are pages of what a script shows: the next one is worth a click. Where none is
  // marked, one may rate something by them.
  const numberOf = (control) => (/^\s*\d{1,4}\s*$/.test(control.textContent) ? Number(control.textContent) : 0);
  const shapeOf = (element) => element.outerHTML.replace(/\d+/g, '');
  const isNextPage = (control) => {
    const number = numberOf(control);
    if (!number || number !== (state.page || 1) + 1) return false;
    const place = control.parentElement && control.parentElement.childElementCount === 1 ? control.parentElement : control;
    const before = place.previousElementSibling;
    return before !== null && numberOf(before) === number - 1 && shapeOf(before) !== shapeOf(place);
  };

  // An element that says nothing but that it shows more of a list, below one that hears of the clicks in it.
  const labelOf = (text) => {
    const { data, parentElement: label } = text;
    if (!label || data.length > LONGEST || !whole.includes(wordsOf(data)) || label.childElementCount > 2 || wordsOf(label.textContent) !== wordsOf(data)) return null;
    if (label.closest(NO_LABEL)) return null;
    let hears = label;
    while (hears && !hears.onclick && !hears[REACTS]) hears = hears.parentNode || hears.host;
    return hears || window[REACTS] ? label : null;
  };

  const roots = [document];
  const controls = new Set();
  for (const root of roots) {
    for (const control of root.querySelectorAll(selectors)) controls.add(control);
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
      const speaks = element.matches(SPEAKING)
        || ((element.onclick || element[REACTS]) && element.textContent.length <= 2 * LONGEST && !element.querySelector(SPEAKING));
      if (speaks && mayBeClicked(element) && (says(element) || isNextPage(element))) controls.add(element);
    }
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (whole.length && texts.nextNode()) {
      const label = labelOf(texts.currentNode);
      if (label && mayBeClicked(label) && says(label) && !label.closest(SPEAKING) && ![...controls].some((known) => known.contains(label))) controls.add(label);
    }
  }

  const kinds = new Map();
  const names = new Map();
  for (const control of controls) {
    state.speaking.add(control);
    if (!isUsable(control)) continue;
    const name = `${control.localName} ${wordsOf(control.innerText || control.value || '') || control.className}`;
    const kind = state.kinds.get(name) || { vain: 0, brought: false, repeats: false };
    state.kinds.set(name, kind);
    const group = kinds.get(kind) || { fresh: [], again: [] };
    kinds.set(kind, group);
    // one that says something else now is as good as another
    (state.clicked.get(control) === name ? group.again : group.fresh).push(control);
    names.set(control, name);
  }
  const isWorth = (kind) => kind.vain < TRIES + kind.brought;
  const choose = () => {
    if (state.last && state.last.isToUndo) return [state.last.kind, state.last.controls];
    for (const [kind, { fresh }] of kinds) if (fresh.length && isWorth(kind)) return [kind, fresh];
    for (const [kind, { again }] of kinds) if (again.length && kind.brought && isWorth(kind)) return [kind, kind.repeats ? again : again.slice(0, 1)];
    return [null, []];
  };
  const [kind, chosen] = choose();
  const batch = chosen.filter((control) => control.isConnected).slice(0, most);
  state.last = null;
  if (!batch.length) return 0;

  holdAll(roots);
  state.last = { kind, controls: batch, isAgain: batch.every((control) => state.clicked.get(control) === names.get(control)) };
  const stay = (event) => event.preventDefault();
  window.addEventListener('submit', stay);
  for (const control of batch) {
    state.clicked.set(control, names.get(control));
    if (isNextPage(control)) state.page = numberOf(control);
    for (const [Kind, type] of [[PointerEvent, 'pointerdown'], [MouseEvent, 'mousedown'], [PointerEvent, 'pointerup'], [MouseEvent, 'mouseup']]) {
      control.dispatchEvent(new Kind(type, { bubbles: true, cancelable: true, composed: true, view: window, isPrimary: true }));
    }
    control.click();
  }
  window.removeEventListener('submit', stay);
  return batch.length;

  // ------------------------------------------------------------------------------------------------------------ remembering

  function holdAll(all) {
    const inert = document.implementation.createHTMLDocument('');
    const NO_TEXT = 'button, [role=button], script, style, noscript, template, select, textarea';
    const isOfControl = (element) => element.closest(NO_TEXT) || state.speaking.has(element)
      || (element.parentElement && state.speaking.has(element.parentElement));
    state.textOf = ({ parentElement, data }) => (parentElement && isOfControl(parentElement) ? '' : data.replace(/\s+/g, ' ').trim());
    state.held = all.map((root) => {
      const from = root === document ? document.body : root;
      const originals = new Map(); // the node of each copy
      const texts = [];
      if (!from) return { originals, texts };
      const to = inert.createElement('div');
      for (const child of from.childNodes) to.append(inert.importNode(child, true));
      const there = document.createTreeWalker(from, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
      const here = inert.createTreeWalker(to, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
      for (let node = from, copy = to; node && copy; node = there.nextNode(), copy = here.nextNode()) {
        originals.set(copy, node);
        const text = node.nodeType === Node.TEXT_NODE ? state.textOf(node) : '';
        if (text) {
          texts.push([copy, text]);
          state.seen.add(text);
        }
      }
      return { originals, texts, top: to };
    });
    state.most = Math.max(state.most, state.held.reduce((sum, { texts }) => sum + texts.length, 0));
  }
}
