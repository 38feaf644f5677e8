/** What a reload would change, or has changed, in words. */
import { expect } from 'chai';
import { h } from 'preact';
import { ReloadChanges } from '../../../../src/admin/page/operation/reload-changes.tsx';
import type { ReloadPreview } from '../../../../src/admin/services.ts';
import { PREVIEW } from '../../../support/operation-world.ts';
import { htmlFor, readerIn } from '../../../support/page-world.ts';

function shown(changes: Partial<ReloadPreview>, language: 'en' | 'ja' = 'en'): string {
  const preview = { ...PREVIEW, ...changes };
  return htmlFor(readerIn(language), h(ReloadChanges, { preview }));
}

describe('what a reload changes', () => {
  it('is what it would change, as long as it is not in force', () => {
    expect(shown({})).to.include('these would be routed otherwise');
    expect(shown({}, 'ja')).to.include('通知先が変わります');
  });

  it('is what the last one has changed, once it is', () => {
    const applied = { isApplied: true };
    const text = shown(applied);
    expect(text).to.include('What the last reload has changed');
    for (const part of ['invoice-import', 'slack:#keiri', 'slack:#ops']) expect(text).to.include(part);
    expect(text).not.to.include('would');
    expect(shown(applied, 'ja')).to.include('前回の再読み込みで変わったこと');
    expect(shown({ ...applied, changes: [] })).to.include('what is in force');
  });

  it('names what is wrong where it would be refused', () => {
    const problems = [
      { place: { file: 'b.yaml', line: 3, column: 1 }, message: 'unknown key', severity: 'error' },
    ] as const;
    const text = shown({ configHash: undefined, changes: [], problems });
    expect(text).to.include('It would be refused').and.to.include('unknown key');
  });
});
