import { expect } from 'chai';
import { isAligned } from '../../src/text/aligned.ts';

const ALIGNED = [
  'PID   CMD\n  1   init\n 42   node   --flag',
  '+---+\n| a |\n+---+',
  '| a | b |\n| - | - |',
  'Total:\nA     1\nB    20',
  '+ a\n+ b',
  '商品名　　数量\nりんご　　　３',
  '┌──┬──┐\n│1 │2 │\n└──┴──┘',
  '╔══╗\n║ a║\n╚══╝',
  'src\n├── a.ts\n└── b.ts',
  ' a | b \n---+---\n 1 | 2\n(1 row)',
  '品名 | 数\n:--- | ---:\nりんご | 3',
];
const PROSE = [
  '',
  'a  b',
  'a\nb',
  'Done.  Really.\nBye.',
  'Items:\n  a\n  b',
  'a  \nb  ',
  'x | y\nz | y',
  '--+--',
  'a\n-+-\nb\n----\n:--',
  'a\n| b',
  '　段落です。\n　次の段落です。',
  '──────\n結果\n──────\n══════',
];

describe('isAligned', () => {
  it('knows columns, whether blanks align them or lines draw them, and takes prose and lists for what they are', () => {
    expect([...ALIGNED, ...PROSE].filter(isAligned)).to.deep.equal(ALIGNED);
  });
});
