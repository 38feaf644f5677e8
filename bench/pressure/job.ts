/** Thousands of progress reports of one job: the last ones must cost what the first did. */
import { median } from '../statistics.ts';
import type { Bridge } from './bridge.ts';
import { atLeast, atMost, type Figure, figure, tallied } from './figures.ts';
import { type JobService, labelsOf } from './job-service.ts';
import type { Laboratory } from './laboratory.ts';

const WINDOW = 100;

/** Windows at each end of which the middle one counts: a single one says more about who else was busy. */
const COMPARED = 5;

/** No window begins after it. */
const LIMIT_MS = 300_000;

/** What may be noise. */
const MOST_GROWTH = 1.5;

interface Window {
  /** The middle answer. */
  readonly answerMs: number;
  readonly cpuMs: number;
}

export async function job(laboratory: Laboratory): Promise<Figure[]> {
  const { isQuick, mode } = laboratory.setup;
  const count = isQuick ? 1500 : 5000;
  const remote = await laboratory.fastRemotes();
  const bridge = await laboratory.bridge({ remote, routes: { bot: [{ slack: '#ops' }] } });
  const service = laboratory.service(bridge);
  const windows: Window[] = [];
  const startedAt = performance.now();
  for (let sent = 0; sent < count && performance.now() - startedAt < LIMIT_MS; sent += WINDOW) {
    windows.push(await measureWindow(bridge, service, sent));
  }
  const posted = service.postings.length;
  const told = await remote.countArrived({ from: 1, to: posted + 1 });
  return [
    atLeast('posted within five minutes', posted, count),
    ...growthFigures(windows),
    figure('answers', tallied(labelsOf(service.postings))),
    // `accepted` ones are told after their answer.
    atLeast('told by the last answer', told, mode === 'accepted' ? 0 : posted, `of ${posted}`),
  ];
}

async function measureWindow(bridge: Bridge, service: JobService, from: number): Promise<Window> {
  const cpuBefore = bridge.cpuMs();
  const answers: number[] = [];
  for (let index = from; index < from + WINDOW; index += 1) {
    const posting = await service.post('bot', report(index));
    answers.push(posting.answers[0]?.tookMs ?? Number.NaN);
  }
  return { answerMs: median(answers), cpuMs: (bridge.cpuMs() - cpuBefore) / WINDOW };
}

function report(index: number): Record<string, unknown> {
  const number = String(index + 1).padStart(7, '0');
  return { job_id: 'one-job', bot_name: `BOT job-${number}`, status: 2, message: `${number} done` };
}

function growthFigures(windows: readonly Window[]): Figure[] {
  // The first of all find nothing compiled and nothing connected.
  const early = middleOf(windows.slice(1, 1 + COMPARED));
  const late = middleOf(windows.slice(-COMPARED));
  return [
    figure('answer, early', early.answerMs, 'ms'),
    figure('answer, late', late.answerMs, 'ms'),
    figure('CPU of the server for each, early', early.cpuMs, 'ms'),
    figure('CPU of the server for each, late', late.cpuMs, 'ms'),
    atMost('answer: late against early', late.answerMs / early.answerMs, MOST_GROWTH, '×'),
    atMost('CPU: late against early', late.cpuMs / early.cpuMs, MOST_GROWTH, '×'),
  ];
}

function middleOf(windows: readonly Window[]): Window {
  return {
    answerMs: median(windows.map(({ answerMs }) => answerMs)),
    cpuMs: median(windows.map(({ cpuMs }) => cpuMs)),
  };
}
