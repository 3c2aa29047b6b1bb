// Searches the index beside this page. Scripts are loaded by elements, since pages in a folder may not fetch files.
"use strict";

const searchIndex = (() => {
  const RESULTS = 20; // shown at once
  const SNIPPET = 240; // characters around a hit
  const SHORTEST_BEGINNING = 3; // letters of a word that also finds longer words
  const MOST_SHARDS = 40; // loaded for one word
  const waiting = new Map();
  const loaded = new Map();
  let index = null;
  let dropped, unspaced, split;

  const wordPattern = /[\p{L}\p{N}\p{M}]+/gu;
  const characterClass = (ranges) =>
    ranges.map(([first, last]) => `\\u{${first}}-\\u{${last}}`).join("");

  function start(data) {
    index = data;
    dropped = new RegExp(`[${characterClass(data.rules.dropped)}]`, "gu");
    unspaced = new RegExp(`^[${characterClass(data.rules.unspaced)}]+$`, "u");
    split = new RegExp(`([${characterClass(data.rules.unspaced)}]+)`, "u");
  }

  function fold(text) {
    const plain = text.normalize("NFKD").toLowerCase().replace(dropped, "");
    return Array.from(plain, (letter) => index.rules.replaced[letter] ?? letter).join("").normalize("NFC");
  }

  // What is asked for: words, and whether longer words that begin so are meant, too.
  function terms(question) {
    const found = new Map();
    for (const [word] of fold(question).matchAll(wordPattern)) {
      for (const run of word.split(split)) {
        if (!run) continue;
        const letters = Array.from(run);
        if (!unspaced.test(run)) {
          found.set(letters.slice(0, index.longest).join(""), letters.length >= SHORTEST_BEGINNING);
        } else if (letters.length === 1) {
          found.set(run, true);
        } else {
          for (let place = 0; place + 1 < letters.length; place++) found.set(letters[place] + letters[place + 1], false);
        }
      }
    }
    return found;
  }

  function load(kind, number) {
    const name = `${kind}-${number}`;
    if (!loaded.has(name)) {
      loaded.set(name, new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = `search/${name}.js`;
        script.onerror = () => reject(new Error(`${script.src} cannot be read`));
        waiting.set(name, resolve);
        document.head.append(script);
      }));
    }
    return loaded.get(name);
  }

  function take(kind, number, data) {
    waiting.get(`${kind}-${number}`)(new Map(Object.entries(data)));
  }

  // Words are sorted by code points, as strings of the index were; JavaScript compares code units.
  function compare(a, b) {
    const left = Array.from(a), right = Array.from(b);
    for (let place = 0; place < Math.min(left.length, right.length); place++) {
      const step = left[place].codePointAt(0) - right[place].codePointAt(0);
      if (step) return step;
    }
    return left.length - right.length;
  }

  // The last one of a sorted list that is not behind a value; 0 where there is none.
  function lastNotBehind(list, value, order) {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (order(list[middle], value) <= 0) low = middle + 1; else high = middle;
    }
    return Math.max(0, low - 1);
  }

  // The posts that have a word, with points.
  async function postsWith(word, isBeginning) {
    const points = new Map();
    const first = lastNotBehind(index.words, word, compare);
    const shards = [];
    for (let number = first; number < index.words.length && shards.length < MOST_SHARDS; number++) {
      if (number > first && !(isBeginning && index.words[number].startsWith(word))) break;
      shards.push(load("words", number));
    }
    for (const shard of await Promise.all(shards)) {
      const fitting = isBeginning ? [...shard.keys()].filter((key) => key.startsWith(word)) : [word];
      for (const key of fitting) {
        let post = 0;
        for (const part of (shard.get(key) ?? "").split(" ")) {
          if (!part) continue;
          post += parseInt(part, 36);
          const worth = (part.endsWith("!") ? 5 : 1) * (key === word ? 2 : 1);
          points.set(post, Math.max(points.get(post) ?? 0, worth));
        }
      }
    }
    const rarity = Math.log(1 + index.count / (1 + points.size));
    return new Map([...points].map(([post, worth]) => [post, worth * rarity]));
  }

  async function search(asked) {
    const lists = await Promise.all([...asked].map(([word, isBeginning]) => postsWith(word, isBeginning)));
    lists.sort((a, b) => a.size - b.size);
    const [rarest, ...others] = lists;
    const hits = [];
    for (const [post, points] of rarest ?? []) {
      if (others.every((list) => list.has(post))) {
        hits.push([post, others.reduce((sum, list) => sum + list.get(post), points)]);
      }
    }
    return hits.sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([post]) => post);
  }

  // The places of a text where what is asked for stands, one after the other: [from, to].
  function* places(text, asked) {
    for (const match of text.matchAll(wordPattern)) {
      let from = match.index;
      for (const run of match[0].split(split)) {
        if (run && unspaced.test(run)) {
          const letters = Array.from(run);
          let place = from;
          for (const [number, letter] of letters.entries()) {
            const pair = letter + (letters[number + 1] ?? "");
            if (asked.has(fold(pair))) yield [place, place + pair.length];
            else if (asked.has(fold(letter))) yield [place, place + letter.length];
            place += letter.length;
          }
        } else if (run) {
          const folded = fold(run);
          if ([...asked].some(([word, isBeginning]) => folded === word || (isBeginning && folded.startsWith(word)))) {
            yield [from, from + run.length];
          }
        }
        from += run.length;
      }
    }
  }

  // The words around the first hit of a text, with all hits marked.
  function marked(text, asked) {
    const element = document.createElement("p");
    element.dir = "auto";
    const all = places(text, asked);
    const first = all.next().value;
    const about = Math.max(0, (first?.[0] ?? 0) - SNIPPET / 3);
    const space = text.indexOf(" ", about) + 1;
    const from = about && space && space <= first[0] ? space : about;
    const end = Math.min(text.length, from + SNIPPET);
    if (from) element.append("… ");
    let place = from;
    for (let hit = first; hit && hit[1] <= end; hit = all.next().value) {
      const mark = document.createElement("mark");
      mark.textContent = text.slice(Math.max(place, hit[0]), hit[1]);
      element.append(text.slice(place, hit[0]), mark);
      place = hit[1];
    }
    element.append(text.slice(place, end), end < text.length ? " …" : "");
    return element;
  }

  async function result(post, asked) {
    const shard = await load("posts", lastNotBehind(index.posts, post, (a, b) => a - b));
    const shown = shard.get(String(post));
    const item = document.createElement("li");
    const heading = document.createElement("h2");
    const link = document.createElement("a");
    link.href = shown.page;
    link.textContent = shown.title;
    heading.append(link);
    heading.dir = "auto";
    const details = document.createElement("p");
    details.className = "details";
    if (shown.date) {
      const time = document.createElement("time");
      time.dateTime = shown.published;
      time.textContent = shown.date;
      details.append(time);
    }
    const names = [shown.authors.join(", "), index.blogs[shown.blog], shown.tags.join(", ")].filter(Boolean);
    details.append(...names.map((name, number) => (number || shown.date ? " · " : "") + name));
    const text = marked(shown.text, asked);
    if (shown.language) heading.lang = text.lang = shown.language;
    item.append(heading, details, text);
    return item;
  }

  async function show() {
    const question = new URLSearchParams(location.search).get("q") ?? "";
    const field = document.getElementById("q");
    const status = document.getElementById("status");
    const list = document.getElementById("results");
    const more = document.getElementById("more");
    field.value = question;
    if (!question.trim()) {
      field.focus();
      return;
    }
    document.title = `${question} – ${document.title}`;
    status.textContent = "Searching …";
    try {
      const asked = terms(question);
      const hits = await search(asked);
      const count = hits.length === 1 ? "1 post" : `${hits.length} posts`;
      status.textContent = hits.length ? `${count} found.` : "No post has all these words.";
      const next = async () => {
        const beginning = list.children.length;
        const items = await Promise.all(hits.slice(beginning, beginning + RESULTS).map((post) => result(post, asked)));
        list.append(...items);
        more.hidden = list.children.length >= hits.length;
        return items[0];
      };
      more.addEventListener("click", async () => (await next()).querySelector("a").focus());
      await next();
    } catch (error) {
      status.textContent = `The search failed: ${error.message}.`;
    }
  }

  document.addEventListener("DOMContentLoaded", () => show());
  return { start, take };
})();
