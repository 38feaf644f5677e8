/** What comes in crumbs is kept in pieces that are worth it. */
import type { IncomingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { GatheringRequest } from '../../src/http/gathering-request.ts';

const CRUMBS = 40_000;

/** @returns the sizes of the pieces in which a body of crumbs comes to its reader, each in a turn of its own */
async function piecesOf(headers: IncomingHttpHeaders, crumbs = CRUMBS): Promise<number[]> {
  const request = new GatheringRequest(new Socket());
  request.headers = headers;
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  for (let crumb = 0; crumb < crumbs; crumb += 1) {
    request.push(Buffer.of(crumb % 251));
    if (crumb % 10 === 0) await nextTurn();
  }
  request.push(null);
  await nextTurn();
  const bytes = Buffer.concat(pieces);
  expect(bytes.every((byte, index) => byte === index % 251)).to.equal(true);
  expect(bytes).to.have.length(crumbs);
  return pieces.map(({ length }) => length);
}

describe('a request whose body comes byte by byte', () => {
  it('has few pieces, in chunks or not', async () => {
    expect(await piecesOf({ 'transfer-encoding': 'chunked' })).to.have.length.below(10);
    expect(await piecesOf({ 'content-length': String(CRUMBS) })).to.have.length.below(10);
  });

  it('is left as it comes where it cannot be large', async () => {
    expect(await piecesOf({ 'content-length': '100' }, 100)).to.have.length.above(50);
  });

  it('gives whoever asks all that has come', () => {
    const request = new GatheringRequest(new Socket());
    request.headers = { 'transfer-encoding': 'chunked' };
    for (const crumb of 'crumbs') request.push(Buffer.from(crumb));
    expect(String(request.read())).to.equal('crumbs');
  });
});
