/** The HTML document around every view: menu, language, result of an action, and facts about the process. */
import { LANGUAGES } from '../../config/schema/schema.ts';
import { cleanLine } from '../../text/clean.ts';
import { groupsOf, type Incident } from '../../incident/incident.ts';
import { storeTroubleIn } from '../../incident/store-trouble.ts';
import type { AdminServices } from '../services.ts';
import type { Assets } from './assets.ts';
import type { Flash } from './cookies.ts';
import { Foreign, pathTo } from './parts/text.tsx';
import { type Shown, useReader, type ViewRequest } from './reader.ts';

export interface OpenNow extends Pick<ViewRequest, 'counts'> {
  /** The number of entries on the overview: incidents by cause; 0 if the ledger cannot be read. */
  readonly needing: number;
}

export function numberNeeding(open: readonly Incident[]): number {
  return groupsOf(open.filter(({ isWaiting }) => !isWaiting)).length;
}

/** The facts on every page, about the responding process. */
export function factsFor(
  { surroundings, reloading, storeTrouble }: AdminServices,
  { needing, counts }: OpenNow,
) {
  const { version, processName } = surroundings;
  const { configHash, failure } = reloading.status;
  const isConfigRefused = failure !== undefined;
  return {
    version,
    processName,
    configHash,
    isConfigRefused,
    dead: counts?.dead ?? 0,
    needing,
    trouble: storeTrouble(),
  };
}

const MENU = [
  'bots',
  'callbacks',
  'reports',
  'dead',
  'refused',
  'destinations',
  'snoozes',
  'config',
  'playground',
] as const;
export type Section = (typeof MENU)[number];

const NAMES_OF_LANGUAGES = { en: 'English', ja: '日本語' } as const;

interface ShellProps {
  readonly shown: Shown;
  /** Undefined for an error page outside all sections. */
  readonly section: Section | undefined;
  readonly assets: Assets;
  readonly facts: ReturnType<typeof factsFor>;
  /** The result of the last action. */
  readonly flash: Flash | undefined;
}

export function Shell(props: ShellProps) {
  const { t, language, redact } = useReader();
  const { shown, section, assets, facts } = props;
  const needing = facts.needing === 0 ? '' : `(${facts.needing}) `;
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{redact(cleanLine(`${needing}${shown.title} · Botbell`))}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={assets.style.path} />
        <script type="module" src={assets.script.path} />
      </head>
      <body>
        <a class="skip" href="#content">
          {t('skip')}
        </a>
        <Header section={section} facts={facts} />
        <main id="content" tabIndex={-1} data-still={shown.isStill ?? false}>
          <Notices {...props} />
          <Head shown={shown} />
          {shown.body}
        </main>
        <Footer facts={facts} />
      </body>
    </html>
  );
}

function Header({ section, facts }: Pick<ShellProps, 'section' | 'facts'>) {
  const { t, here, language, formats } = useReader();
  // Counts beside the menu's entries that need attention.
  const { dead, needing, isConfigRefused } = facts;
  const counted = (count: number) => (count === 0 ? '' : formats.number(count));
  const marks: Partial<Record<Section, string>> = {
    bots: counted(needing),
    dead: counted(dead),
    config: isConfigRefused ? '!' : '',
  };
  return (
    <header>
      <strong>Botbell</strong>
      <nav aria-label={t('sections')}>
        {MENU.map((name) => (
          <a
            key={name}
            href={name === 'bots' ? '/' : `/${name}`}
            aria-current={section === name ? 'page' : undefined}
          >
            {t(`nav.${name}`)}
            {!marks[name] ? null : <strong class="status bad"> {marks[name]}</strong>}
          </a>
        ))}
      </nav>
      <nav aria-label={t('language')}>
        {LANGUAGES.filter((each) => each !== language).map((each) => (
          <a key={each} lang={each} href={pathTo(['language', each], { back: here })}>
            {NAMES_OF_LANGUAGES[each]}
          </a>
        ))}
      </nav>
    </header>
  );
}

/** The result of the last action, and what is wrong with the process. */
function Notices({ facts: { trouble }, flash }: ShellProps) {
  const { t, language } = useReader();
  return (
    <>
      {flash === undefined ? null : (
        <p class={`flash ${flash.kind}`} data-once role={flash.kind === 'failed' ? 'alert' : 'status'}>
          <strong>{t(flash.kind)}</strong> <Foreign text={flash.text} />
        </p>
      )}
      {trouble === undefined ? null : (
        <p class="flash failed" role="alert">
          {t('store down')} <Foreign text={storeTroubleIn(trouble, language)} />
          <br />
          {t('store down, to do')}
        </p>
      )}
    </>
  );
}

function Head({ shown: { title, lead, facts, isStill } }: Pick<ShellProps, 'shown'>) {
  return (
    <div class="head">
      <h1>
        <Foreign text={title} />
      </h1>
      {isStill === true ? null : <Freshness />}
      {lead === undefined ? null : <p class="lead">{lead}</p>}
      {facts === undefined ? null : <div class="facts">{facts}</div>}
    </div>
  );
}

/** When the page was drawn. The script shows one of the hidden lines while it cannot refresh. */
function Freshness() {
  const { t, formats, now, here } = useReader();
  const time = formats.clock(now);
  return (
    <>
      <p class="quiet">{t('as of', { time })}</p>
      <p class="stale" data-stale="paused" hidden>
        {t('paused', { time })} <a href={here}>{t('refresh')}</a>
      </p>
      <p class="stale status bad" data-stale="silent" role="alert" hidden>
        {t('silent', { time })}
      </p>
    </>
  );
}

function Footer({ facts: { version, configHash, processName } }: Pick<ShellProps, 'facts'>) {
  const { t, timezone } = useReader();
  return (
    <footer>
      <span>Botbell {version}</span>
      <span>
        {t('nav.config')} <a href="/config">{configHash.slice(0, 12)}</a>
      </span>
      <span>
        {t('footer.zone')} {timezone}
      </span>
      <span>
        {t('footer.process')} <bdi>{processName}</bdi>
      </span>
    </footer>
  );
}
