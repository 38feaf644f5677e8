/** What the page does in a browser beside being read: it looks what has changed, draws while one types, and copies. */
import { Idiomorph } from 'idiomorph';
import { isComposing, isReading } from './live-decisions.ts';

const LOOK_EVERY_MS = 5000;
const TYPING_PAUSE_MS = 400;
const COPIED_MS = 2000;

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

let isAsking = false;

/** Nothing moves under whoever reads, selects or types. */
async function follow(): Promise<void> {
  const main = mainOf(document);
  if (main?.dataset['live'] !== 'on' || isAsking || document.hidden || isReading(attention(main))) return;
  isAsking = true;
  const next = await pageAt(location.href);
  isAsking = false;
  if (next !== undefined && !isReading(attention(main))) show(main, next);
}

function show(main: HTMLElement, next: Document): void {
  const fresh = mainOf(next);
  if (fresh === null || !main.isConnected) return;
  document.title = next.title;
  const menus = [document, next].map((each) => each.querySelector('body > header nav'));
  if (menus[0] && menus[1]) morph(menus[0], menus[1]);
  const flash = main.querySelector('.flash');
  morph(main, fresh);
  // What came of an action is told once, and would be gone before it is read.
  if (flash !== null && main.querySelector('.flash') === null) main.prepend(flash);
}

function attention(main: HTMLElement) {
  const selection = document.getSelection();
  const focused = document.activeElement;
  return {
    scrolled: window.scrollY,
    hasSelected: selection !== null && !selection.isCollapsed && main.contains(selection.anchorNode),
    hasFocused: focused !== null && focused !== main && main.contains(focused),
  };
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

document.addEventListener('visibilitychange', () => void follow());
window.setInterval(() => void follow(), LOOK_EVERY_MS);
enliven(document);
