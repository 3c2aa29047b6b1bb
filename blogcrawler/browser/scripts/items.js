// The items of a list that have no address in the markup: what stands where some of the `titles` stand, and is in no link.
// `todo`: "find" them, and return how many; "click" the one at `index`, and return what it says, or ""; "write" the addresses
// `found` into them, each a pair of what an item says and its address. At most `most` items.
({ todo, titles, index, found, most }) => {
  const KEY = Symbol.for('blogcrawler.items');
  const LONGEST = 300;
  const LEADS_ON = 'a[href]:not([href=""]):not([href^="#"]):not([href^="javascript:" i])';
  const saidBy = (element) => element.textContent.replace(/\s+/g, ' ').trim();
  const isOne = (element) => element.textContent.length <= LONGEST && saidBy(element) !== ''
    && !element.closest(LEADS_ON) && !element.querySelector(LEADS_ON);
  const items = () => (window[KEY] ? [...document.querySelectorAll(window[KEY])].filter(isOne).slice(0, most) : []);

  // An element's names and those of the two around it, without what is numbered.
  const nameOf = (element) => {
    const classes = [...element.classList].filter((name) => !/\d/.test(name));
    return [CSS.escape(element.localName), ...classes.map((name) => CSS.escape(name))].join('.');
  };
  const chainOf = (element) => {
    const names = [];
    for (let up = element; up && up !== document.body && names.length < 3; up = up.parentElement) names.unshift(nameOf(up));
    return names.join(' > ');
  };

  const find = () => {
    const wanted = new Set(titles);
    const counts = new Map();
    const texts = document.createTreeWalker(document.body || document, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data, parentElement: element } = texts.currentNode;
      if (!element || !wanted.has(data.replace(/\s+/g, ' ').trim()) || !isOne(element)) continue;
      const chain = chainOf(element);
      counts.set(chain, (counts.get(chain) || 0) + 1);
    }
    window[KEY] = [...counts].sort(([, a], [, b]) => b - a).map(([chain]) => chain)[0] || '';
    return items().length;
  };

  const click = () => {
    const item = items()[index];
    if (!item) return '';
    const said = saidBy(item);
    item.click();
    return said;
  };

  const write = () => {
    const addresses = new Map(found);
    for (const item of items()) {
      const address = addresses.get(saidBy(item));
      if (!address) continue;
      const link = document.createElement('a');
      link.href = address;
      link.append(...item.childNodes);
      item.append(link);
    }
    return addresses.size;
  };
  return { find, click, write }[todo]();
}
