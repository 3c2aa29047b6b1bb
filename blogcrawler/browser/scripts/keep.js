// After clicks, and when the page has come to rest: keeps copies of what was there before them and is not any more, with its
// place, for snapshot.js, at most `most` characters of a document. Returns 1 where there is something that was never there before, or more than ever.
({ most }) => {
  const state = window[Symbol.for('blogcrawler.clicks')];
  if (!state || !state.last) return 0;

  const SAME = 2;
  const roots = [document];
  for (const root of roots) for (const element of root.querySelectorAll('*')) if (element.shadowRoot) roots.push(element.shadowRoot);
  let count = 0;
  const textsNow = () => {
    const found = new Set();
    for (const root of roots) {
      const walker = document.createTreeWalker(root === document ? document.body || document : root, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const text = state.textOf(walker.currentNode);
        if (text) {
          found.add(text);
          count += 1;
        }
      }
    }
    return found;
  };
  const now = textsNow();
  // what says the same again may be another comment, but not for ever
  const isUnseen = [...now].some((text) => !state.seen.has(text));
  state.last.kind.same = isUnseen ? 0 : (state.last.kind.same || 0) + 1;
  const isNew = isUnseen || (count > state.most && state.last.kind.same <= SAME);
  state.most = Math.max(state.most, count);
  const before = new Set(state.held.flatMap(({ texts }) => texts.map(([, text]) => text)));
  for (const text of now) state.seen.add(text);

  const keys = [];
  for (const held of state.held) {
    const lost = held.texts.filter(([, text]) => !now.has(text));
    if (lost.length) for (const unit of unitsOf(held, lost)) keep(held, unit);
  }
  for (const key of keys) state.keys.add(key);
  judge();
  state.held = [];
  return isNew ? 1 : 0;

  // What a click means for those of its kind.
  function judge() {
    const { kind, isAgain, isToUndo } = state.last;
    kind.vain = isNew ? 0 : kind.vain + 1;
    kind.brought = kind.brought || isNew;
    kind.repeats = kind.repeats || (isAgain && isNew);
    const isLess = !isNew && now.size < before.size && [...now].every((text) => before.has(text));
    if (state.undone) kind.vain = Infinity;
    state.undone = isLess && !state.undone;
    state.last.isToUndo = state.undone;
  }

  // The highest elements most of whose text is lost, but no higher than single items of a list, or than what still is there.
  function unitsOf({ originals, texts, top }, lost) {
    const all = new Map();
    const gone = new Map();
    const count = (counts, copy) => { for (let at = copy; at && at !== top; at = at.parentNode) counts.set(at, (counts.get(at) || 0) + 1); };
    for (const [copy] of texts) count(all, copy);
    for (const [copy] of lost) count(gone, copy);
    const isItem = (copy) => [...copy.parentNode.children].some((other) => other !== copy && other.localName === copy.localName
      && other.className === copy.className && gone.has(other));
    const units = new Set();
    for (const [copy] of lost) {
      let unit = copy;
      for (let up = copy.parentNode; up && up !== top && gone.get(up) * 2 >= all.get(up); up = up.parentNode) {
        const isThere = originals.get(up).isConnected;
        const wasThere = originals.get(unit).isConnected;
        if (isThere && (!wasThere || isItem(unit))) break;
        unit = up;
      }
      units.add(unit);
    }
    return [...units].filter((unit) => !isCounter(unit, units));
  }

  // Is it but another number where there was one?
  function isCounter(unit, units) {
    const withoutNumbers = (text) => text.replace(/\d+/g, '#');
    const text = unit.textContent.replace(/\s+/g, ' ').trim();
    return [...units].filter((other) => other.parentNode === unit.parentNode).length === 1
      && [...now].some((other) => withoutNumbers(other) === withoutNumbers(text));
  }

  function keep({ originals, texts, top }, unit) {
    const told = texts.filter(([copy]) => unit.contains(copy)).map(([, text]) => text);
    const key = `${unit.id || ''} ${told.join(' ')}`;
    const size = (unit.outerHTML || unit.data).length;
    if (state.keys.has(key) || (state.size || 0) + size > most) return;
    keys.push(key);
    state.size = (state.size || 0) + size;
    let last = unit;
    while (last.parentNode !== top && !originals.get(last.parentNode).isConnected) last = last.parentNode;
    const places = [];
    for (let up = last.parentNode; up; up = up.parentNode) places.push(originals.get(up));
    let after = last.previousElementSibling;
    while (after && !(originals.get(after).isConnected && originals.get(after).parentNode === places[0])) after = after.previousElementSibling;
    state.kept.push({ copy: unit.cloneNode(true), texts: told, places, after: after ? originals.get(after) : null });
  }
}
