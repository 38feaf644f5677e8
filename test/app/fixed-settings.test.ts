/** What a reload cannot change is named, and stays as it was when Botbell was started. */
import { expect } from 'chai';
import { asItCanRun } from '../../src/app/reload.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';

function configOf(sections: string): Config {
  const { config, problems } = loadConfig('botbell.yaml', {
    variables: {},
    channelTypes,
    builtInSets: ['en', 'ja'],
    readFile: () =>
      `${sections}\nchannels: { slack: { type: outbox, as: slack } }\ndefault_route: { notify: [{ slack: '#ops' }] }\n`,
    readFolders: () => ['en', 'ja'],
  });
  if (config === undefined) throw new Error(JSON.stringify(problems));
  return config;
}

describe('a config that is loaded while Botbell runs', () => {
  const RUNNING = configOf(`
receiver: { listen: '127.0.0.1:8080' }
admin: { listen: '127.0.0.1:8081', password: first }
store: { url: 'sqlite:a.db', max_size: 1gb, keep: 30d }`);

  it('changes everything but the addresses and the store', () => {
    const next = configOf(`
receiver: { listen: '127.0.0.1:80', path: /other }
admin: { listen: '127.0.0.1:81', password: second }
store: { url: 'sqlite:b.db', max_size: 2gb, keep: 5d }`);
    const { config, unchanged } = asItCanRun(next, RUNNING);
    expect(unchanged).to.deep.equal(['receiver.listen', 'store.url', 'store.max_size', 'admin.listen']);
    expect(config.receiver).to.deep.equal({ ...next.receiver, listen: RUNNING.receiver.listen });
    expect(config.admin).to.equal(RUNNING.admin);
    expect(config.store).to.deep.equal({ ...RUNNING.store, keepMs: next.store.keepMs });
    expect(config.channels).to.equal(next.channels);
    expect(asItCanRun(RUNNING, config).unchanged, 'the addresses it was started with').to.deep.equal([]);
  });

  it('neither opens an admin listener nor closes one', () => {
    const off = configOf('admin: { listen: off }');
    const opened = asItCanRun(RUNNING, off);
    expect([opened.config.admin, opened.unchanged.includes('admin.listen')]).to.deep.equal([undefined, true]);
    const closed = asItCanRun(off, RUNNING);
    expect(closed.config.admin).to.equal(RUNNING.admin);
    expect(closed.unchanged).to.include('admin.listen');
    expect(asItCanRun(off, off).unchanged).not.to.include('admin.listen');
  });

  it('leaves no listener without a password that others can reach', () => {
    const open = configOf(`admin: { listen: '0.0.0.0:8081', password: first }`);
    const next = configOf(`admin: { listen: '127.0.0.1:8081' }`);
    const { config, unchanged } = asItCanRun(next, open);
    expect(config.admin?.password).to.equal('first');
    expect(unchanged).to.deep.equal(['admin.listen']);
    expect(asItCanRun(configOf(''), RUNNING).config.admin?.password).to.equal(undefined);
  });
});
