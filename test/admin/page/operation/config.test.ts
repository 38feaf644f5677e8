/** What a reload would change, in words. */
import { expect } from 'chai';
import { h } from 'preact';
import { Changes } from '../../../../src/admin/page/operation/config.tsx';
import type { ReloadPreview } from '../../../../src/admin/services.ts';
import { PREVIEW } from '../../../support/operation-world.ts';
import { htmlFor, readerIn } from '../../../support/page-world.ts';

function shown(changes: Partial<ReloadPreview>, language: 'en' | 'ja' = 'en'): string {
  const preview = { ...PREVIEW, ...changes };
  return htmlFor(readerIn(language), h(Changes, { preview }));
}

describe('what a reload would change', () => {
  it('is who would be told otherwise', () => {
    for (const part of ['invoice-import', 'slack:#keiri', 'slack:#ops']) expect(shown({})).to.include(part);
    expect(shown({})).to.include('this would change');
    expect(shown({}, 'ja')).to.include('宛先が変わるもの');
  });

  it('names what is wrong where it would be refused', () => {
    const problems = [
      { place: { file: 'b.yaml', line: 3, column: 1 }, message: 'unknown key', severity: 'error' },
    ] as const;
    const text = shown({ configHash: undefined, changes: [], problems });
    expect(text).to.include('It would be refused').and.to.include('unknown key');
  });
});
