/** The JSON of what a BOT has said. */
import { expect } from 'chai';
import type { Incident } from '../../src/incident/incident.ts';
import { botJson, incidentJson, refusalJson, runJson } from '../../src/people/json.ts';

const redact = (text: string) => text.replaceAll('SECRET', '[secret]');

describe('The JSON of the API', () => {
  it('holds no secret that a BOT has said, in a BOT, a run, an incident or a refused body', () => {
    const said = 'login with SECRET failed';
    const bot = { botId: said, botName: said, lastCallbackId: 1, lastReceivedAt: 1 };
    const run = { callbackId: 1, jobId: said, status: 1, startedAt: 1, receivedAt: 1, gist: said } as const;
    const incident = {
      kind: 'bot',
      subject: said,
      name: said,
      sign: 'error',
      gist: said,
      likeness: said,
      since: 1,
    };
    const refused = {
      id: 1,
      receivedAt: 1,
      status: 400,
      detail: '',
      errors: [{ pointer: '', detail: said }],
      from: '',
      body: said,
    };
    const shapes = [
      refusalJson(refused as never, redact),
      botJson(bot as never, redact),
      runJson(run as never, redact),
      incidentJson({ id: 1, lastAt: 1, count: 1, isWaiting: false, ...incident } as Incident, redact),
    ];
    for (const shape of shapes)
      expect(JSON.stringify(shape)).to.contain('[secret]').and.not.contain('SECRET');
  });
});
