// The document as HTML: frames' content and shadow roots stand where they are shown, and what clicks have replaced (keep.js)
// where it was. Works on a copy in a document
// without a window, which loads and runs nothing. Returns null where it is longer than `most` characters.
({ isFrame, most }) => {
  const FRAME = Symbol.for('blogcrawler.frame');
  const inert = document.implementation.createHTMLDocument('');
  const wanted = [];
  const clicks = window[Symbol.for('blogcrawler.clicks')];
  const twins = clicks && clicks.kept.length ? new Map() : null;

  const pairUp = (original, copy) => {
    const originals = document.createTreeWalker(original, NodeFilter.SHOW_ELEMENT);
    const copies = inert.createTreeWalker(copy, NodeFilter.SHOW_ELEMENT);
    let from = originals.currentNode;
    let to = copies.currentNode;
    while (from && to) {
      if (from.shadowRoot || from[FRAME]) wanted.push([from, to]);
      if (isFrame) makeAbsolute(from, to);
      if (twins) twins.set(from, to);
      from = originals.nextNode();
      to = copies.nextNode();
    }
  };
  const makeAbsolute = (from, to) => {
    for (const name of ['href', 'src']) {
      if (typeof from[name] === 'string' && to.hasAttribute && to.hasAttribute(name)) to.setAttribute(name, from[name]);
    }
  };

  const putBack = () => {
    const shown = new Set();
    for (const place of [document.body, ...twins.keys()].filter((node) => node === document.body || node instanceof ShadowRoot)) {
      const walker = place && document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
      while (walker && walker.nextNode()) shown.add(clicks.textOf(walker.currentNode));
    }
    const ends = new Map(); // after what was put at each place so far
    for (const { copy, texts, places, after } of clicks.kept) {
      if (texts.every((text) => shown.has(text))) continue;
      const place = places.find((node) => node.isConnected && twins.has(node)) || document.body;
      const box = twins.get(place);
      if (!box) continue;
      const anchor = after && after.parentNode === place ? after : place;
      const end = ends.get(anchor) || (anchor === place ? null : twins.get(anchor));
      if (end) end.after(inert.importNode(copy, true)); else box.prepend(inert.importNode(copy, true));
      ends.set(anchor, end ? end.nextSibling : box.firstChild);
    }
  };

  const root = inert.importNode(document.documentElement, true);
  pairUp(document.documentElement, root);
  for (let next; (next = wanted.pop());) {
    const [from, to] = next;
    const box = inert.createElement('div');
    if (from[FRAME]) {
      box.setAttribute('data-frame', from.src || '');
      box.innerHTML = from[FRAME];
      to.after(box);
    } else {
      box.setAttribute('data-shadow-root', '');
      if (twins) twins.set(from.shadowRoot, box);
      for (const child of from.shadowRoot.childNodes) {
        const copy = inert.importNode(child, true);
        box.append(copy);
        if (child.nodeType === Node.ELEMENT_NODE) pairUp(child, copy);
      }
      for (const useless of box.querySelectorAll('style, link')) useless.remove();
      to.prepend(box);
    }
  }
  // where scripts run, markup in `noscript` is text; it is markup again where they do not, as in this copy
  for (const element of root.querySelectorAll('noscript')) {
    if (!element.firstElementChild) element.innerHTML = element.textContent;
  }
  if (twins) putBack();
  if (isFrame) {
    for (const useless of root.querySelectorAll('script, style, link, meta, noscript')) useless.remove();
    const body = root.querySelector('body');
    return body && body.textContent.trim() ? body.innerHTML.slice(0, most) : '';
  }
  const html = (document.doctype ? '<!DOCTYPE html>' : '') + root.outerHTML;
  return html.length > most ? null : html;
}
