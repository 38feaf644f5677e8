/** The page's script: refreshes the page regularly, but not while the reader is using it, says so if the page is not fresh, and posts a form once. */

const EVERY_MS = 5000;
const DEADLINE_MS = 30_000;

/** In pixels. A reader who has scrolled further is reading. */
const SCROLLED = 80;

/** A second click within this time is no second wish. */
const DOUBLE_MS = 2000;

type Stale = 'paused' | 'silent';

/** The values of each form before somebody changed them. */
const drawn = new WeakMap<HTMLFormElement, string>();

function written(form: HTMLFormElement): string {
  return JSON.stringify([...new FormData(form)]);
}

function mainOf(root: Document): HTMLElement | null {
  return root.querySelector('main');
}

/** Whether the reader is writing or has focused something, has scrolled, selected text or opened details. */
function isRead(main: HTMLElement): boolean {
  const selection = document.getSelection();
  const focused = document.activeElement;
  return (
    [...main.querySelectorAll('form')].some((form) => written(form) !== drawn.get(form)) ||
    window.scrollY > SCROLLED ||
    (focused !== null && focused !== main && main.contains(focused)) ||
    (selection !== null && !selection.isCollapsed && main.contains(selection.anchorNode)) ||
    main.querySelector('details[open]:not(form details)') !== null
  );
}

/** @returns the page's current state; undefined if it cannot be fetched now */
async function pageNow(): Promise<Document | undefined> {
  try {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const answer = await fetch(location.href, { headers: { Accept: 'text/html' }, signal });
    return answer.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : undefined;
  } catch {
    return undefined;
  }
}

function show(main: HTMLElement, next: Document): void {
  const fresh = mainOf(next);
  if (fresh === null) return;
  // The server sends an action's result only once: keep it, or it would vanish before it is read.
  const result = main.querySelector('[data-once]');
  if (result !== null) fresh.prepend(result);
  main.replaceWith(fresh);
  document.title = next.title;
  const [menu, freshMenu] = [document, next].map((each) => each.querySelector('body > header nav'));
  if (menu && freshMenu && !menu.contains(document.activeElement)) menu.replaceWith(freshMenu);
  noteForms(fresh);
}

function noteForms(main: HTMLElement): void {
  for (const form of main.querySelectorAll('form')) drawn.set(form, written(form));
}

/** Says why the page is not refreshed. */
function say(main: HTMLElement, why: Stale): void {
  for (const each of main.querySelectorAll<HTMLElement>('[data-stale]'))
    each.hidden = each.dataset['stale'] !== why;
}

async function refresh(): Promise<void> {
  const main = mainOf(document);
  if (!document.hidden && main !== null) {
    const next = isRead(main) ? undefined : await pageNow();
    if (isRead(main)) say(main, 'paused');
    else if (next === undefined) say(main, 'silent');
    else show(main, next);
  }
  window.setTimeout(() => void refresh(), EVERY_MS);
}

let postedAt = -Infinity;
document.addEventListener('submit', (event) => {
  if (!(event.target instanceof HTMLFormElement) || event.target.method !== 'post') return;
  if (event.timeStamp - postedAt < DOUBLE_MS) event.preventDefault();
  else postedAt = event.timeStamp;
});

const first = mainOf(document);
if (first?.dataset['still'] === 'false') {
  noteForms(first);
  window.setTimeout(() => void refresh(), EVERY_MS);
}
