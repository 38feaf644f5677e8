/** The job service: posts each callback, and again until it is answered 200 or it has had enough. */
import { elapsedOf } from './keys.ts';
import type { AnsweredDelivery, Post } from './observed.ts';
import { type Process, RECEIVER_PORT, type WorldParts } from './process.ts';
import { Random } from './random.ts';
import { ask } from './request.ts';
import { SECOND, type Send, STATUS_NAMES } from './scenario.ts';

export function serviceOf({ scenario, timeline, observed, open, say, clockOf }: WorldParts) {
  let underWay = 0;

  async function keepPosting(send: Send, what: string, tries: number): Promise<void> {
    underWay += 1;
    for (let nth = 1; nth <= tries; nth += 1) {
      const random = new Random(scenario.seed, `post ${send.nth} ${what} ${nth}`);
      if (nth > 1) await timeline.sleepOfWorld(random.int(30, 60) * SECOND);
      const picked = random.next();
      const all = open();
      const process = all[Math.floor(picked * all.length)];
      if (process === undefined) say(`nobody takes the POST of ${send.job}/${send.nth}`);
      else if ((await postOnce(send, nth, process)).status === 200) break;
    }
    underWay -= 1;
  }

  async function postOnce(send: Send, nth: number, process: Process): Promise<Post> {
    const at = { at: timeline.now, clockedAt: clockOf(-1) };
    const post: Post = { send, nth, ...at, process, config: process.config };
    observed.posts.push(post);
    const name = `${send.job}/${send.nth}`;
    say(`the service posts ${name} (${send.bot}, ${STATUS_NAMES[send.status]}) to ${process.name}`);
    const handle = process.handlers.get(RECEIVER_PORT);
    const body = JSON.stringify(callbackOf(send, nth, scenario.epoch));
    const asked = handle && ask(handle, 'POST', '/callbacks', body);
    const answered = asked?.then((answer) => process.reach('any', () => note(post, answer)));
    await Promise.race([answered, process.died]);
    post.endedAt = timeline.now;
    const told = post.deliveries?.map(({ destination, state }) => `${destination} ${state}`).join(', ');
    say(`${name} is answered ${post.status ?? 'nothing'} ${post.result ?? ''}${told ? `: ${told}` : ''}`);
    return post;
  }

  return {
    get underWay() {
      return underWay;
    },
    send(send: Send): void {
      void keepPosting(send, 'try', send.tries);
      const { againAfter } = send;
      if (againAfter === undefined) return;
      underWay += 1;
      timeline.ofWorld(againAfter, () => {
        underWay -= 1;
        void keepPosting(send, 'again', 1);
      });
    },
  };
}

function note(post: Post, { status, body }: { readonly status: number; readonly body: string }): void {
  post.status = status;
  const said = JSON.parse(body) as {
    readonly result?: string;
    readonly deliveries?: readonly AnsweredDelivery[];
  };
  post.result = said.result;
  post.deliveries = said.deliveries ?? [];
}

function callbackOf(send: Send, tries: number, epoch: number): object {
  const { job, bot, status, startedAt, message, code, nth } = send;
  return {
    code,
    job_id: job,
    bot_id: bot,
    bot_name: bot,
    status,
    start_time: new Date(epoch + startedAt).toISOString(),
    message,
    elapsed_time: elapsedOf(nth, tries),
  };
}
