/** What the page does in a browser beside being read: it follows what changes, draws while one types, and copies. */
import { Idiomorph } from 'idiomorph';
import { comparable, countNew, isComposing, isReading } from './live-decisions.ts';

const TYPING_PAUSE_MS = 400;
const COPIED_MS = 2000;

/** Once it has been asked for, whatever comes meanwhile is in the next answer. */
let isAsking = false;
let isAskedAgain = false;
let stream: EventSource | undefined;

function mainOf(root: Document): HTMLElement | null {
  return root.querySelector('main');
}

/** What is written into stays as it is, and so does what is open. */
function morph(old: Element, next: Element): void {
  void Idiomorph.morph(old, document.importNode(next, true), {
    morphStyle: 'outerHTML',
    ignoreActiveValue: true,
    restoreFocus: true,
    callbacks: {
      beforeAttributeUpdated: (name, node) => !(name === 'open' && node instanceof HTMLDetailsElement),
      beforeNodeMorphed: (node, fresh) => {
        if (!(node instanceof HTMLIFrameElement) || !(fresh instanceof HTMLIFrameElement)) return true;
        // To lead a frame elsewhere would be a step back in the history.
        if (node.getAttribute('src') !== fresh.getAttribute('src')) node.replaceWith(fresh.cloneNode(true));
        return false;
      },
    },
  });
  enliven(document);
}

/** Undefined: it cannot be had now. */
async function pageAt(url: string, options: RequestInit = {}): Promise<Document | undefined> {
  try {
    const answer = await fetch(url, { ...options, headers: { Accept: 'text/html' } });
    const html = answer.ok ? await answer.text() : undefined;
    return html === undefined ? undefined : new DOMParser().parseFromString(html, 'text/html');
  } catch {
    return undefined;
  }
}

// Follows what changes.

function follow(): void {
  if (mainOf(document)?.dataset['live'] !== 'on' || document.hidden || stream !== undefined) return;
  stream = new EventSource('/live');
  stream.addEventListener('changed', () => void refresh());
}

function unfollow(): void {
  stream?.close();
  stream = undefined;
}

async function refresh(): Promise<void> {
  if (isAsking) {
    isAskedAgain = true;
    return;
  }
  isAsking = true;
  try {
    const next = await pageAt(location.href);
    if (next !== undefined) take(next);
  } finally {
    isAsking = false;
  }
  if (isAskedAgain) {
    isAskedAgain = false;
    await refresh();
  }
}

function take(next: Document): void {
  const [shown, fresh] = [mainOf(document), mainOf(next)];
  if (shown === null || fresh === null) return;
  document.title = next.title;
  const [menu, freshMenu] = [
    document.querySelector('body > header nav'),
    next.querySelector('body > header nav'),
  ];
  if (menu !== null && freshMenu !== null) morph(menu, freshMenu);
  const isSame = comparable(withoutNews(shown).innerHTML) === comparable(fresh.innerHTML);
  if (!isReading(attention(shown))) show(shown, fresh);
  else if (!isSame) announce(shown, fresh);
}

function show(shown: HTMLElement, fresh: HTMLElement): void {
  const flash = shown.querySelector('.flash');
  morph(shown, fresh);
  // What came of an action is told once, and would be gone before it is read.
  if (flash !== null && shown.querySelector('.flash') === null) shown.prepend(flash);
}

function withoutNews(main: HTMLElement): HTMLElement {
  const copy = main.cloneNode(true) as HTMLElement;
  for (const each of copy.querySelectorAll('.news, .flash')) each.remove();
  return copy;
}

function attention(main: HTMLElement) {
  const selection = document.getSelection();
  const focused = document.activeElement;
  const isInMain = focused !== null && focused !== main && main.contains(focused);
  return {
    scrolled: window.scrollY,
    hasSelected: selection !== null && !selection.isCollapsed && main.contains(selection.anchorNode),
    hasFocused: isInMain && !focused.matches('.news button'),
  };
}

const ROWS = 'tbody tr, .timeline li, article';

/** Rows are the same where what they are about is: their first link, else their words. */
function keysOf(main: HTMLElement): readonly string[] {
  return [...main.querySelectorAll(ROWS)].map(
    (row) => row.querySelector('a[href]')?.getAttribute('href') ?? row.textContent,
  );
}

/** A button instead of a page that moves. */
function announce(shown: HTMLElement, fresh: HTMLElement): void {
  const { newRows = '#', changed = '' } = shown.dataset;
  const count = countNew(keysOf(withoutNews(shown)), keysOf(fresh));
  const words = count > 0 ? newRows.replace('#', String(count)) : changed;
  const news = shown.querySelector('.news') ?? document.createElement('div');
  news.className = 'news';
  news.setAttribute('role', 'status');
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = words;
  button.addEventListener('click', () => {
    news.remove();
    show(shown, fresh);
    window.scrollTo({ top: 0 });
    shown.focus({ preventScroll: true });
  });
  news.replaceChildren(button);
  if (!news.isConnected) shown.prepend(news);
}

// Draws what is tried while one types.

let drawing: AbortController | undefined;
let pause: number | undefined;

function drawSoon(form: HTMLFormElement): void {
  window.clearTimeout(pause);
  pause = window.setTimeout(() => void draw(form), TYPING_PAUSE_MS);
}

async function draw(form: HTMLFormElement): Promise<void> {
  drawing?.abort();
  drawing = new AbortController();
  const { signal } = drawing;
  const result = document.querySelector('#result');
  result?.setAttribute('aria-busy', 'true');
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') fields.append(name, value);
  const next = await pageAt(form.action, { method: 'POST', body: fields, signal });
  // It was typed on meanwhile.
  if (signal.aborted) return;
  const fresh = next?.querySelector('#result');
  if (result !== null && fresh instanceof Element) morph(result, fresh);
  result?.removeAttribute('aria-busy');
}

document.addEventListener('input', (event) => {
  const form = event.target instanceof Element ? event.target.closest('form.try') : null;
  const composes = event instanceof InputEvent && event.isComposing;
  if (form instanceof HTMLFormElement && !composes) drawSoon(form);
});
document.addEventListener('compositionend', (event) => {
  const form = event.target instanceof Element ? event.target.closest('form.try') : null;
  if (form instanceof HTMLFormElement) drawSoon(form);
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && event.target instanceof HTMLInputElement && isComposing(event))
    event.preventDefault();
});

// Copies.

/** Without a script they could do nothing. */
function enliven(root: ParentNode): void {
  for (const button of root.querySelectorAll('button[data-copy]')) button.removeAttribute('hidden');
}

document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('button[data-copy]') : null;
  if (button instanceof HTMLButtonElement) void copy(button);
});

async function copy(button: HTMLButtonElement): Promise<void> {
  const { copy: text = '', copied = '' } = button.dataset;
  const words = button.textContent;
  await navigator.clipboard.writeText(text);
  button.textContent = copied;
  window.setTimeout(() => {
    button.textContent = words;
  }, COPIED_MS);
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden) return unfollow();
  follow();
  return void (stream !== undefined && refresh());
});
window.addEventListener('pagehide', unfollow);
window.addEventListener('pageshow', follow);
enliven(document);
follow();
