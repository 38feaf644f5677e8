/** What comes byte by byte is kept in pieces that are worth it. */
import type { IncomingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { GatheringRequest } from '../../src/http/connection.ts';

const BYTES = 40_000;

/** @returns the sizes of the pieces in which a body that is sent byte by byte comes to its reader */
async function piecesOf(headers: IncomingHttpHeaders, count = BYTES): Promise<number[]> {
  const request = new GatheringRequest(new Socket());
  request.headers = headers;
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  for (let index = 0; index < count; index += 1) {
    request.push(Buffer.of(index % 251));
    if (index % 10 === 0) await nextTurn();
  }
  request.push(null);
  await nextTurn();
  const bytes = Buffer.concat(pieces);
  expect(bytes.every((byte, index) => byte === index % 251)).to.equal(true);
  expect(bytes).to.have.length(count);
  return pieces.map(({ length }) => length);
}

describe('a request whose body comes byte by byte', () => {
  it('has few pieces, in chunks or not', async () => {
    expect(await piecesOf({ 'transfer-encoding': 'chunked' })).to.have.length.below(10);
    expect(await piecesOf({ 'content-length': String(BYTES) })).to.have.length.below(10);
  });

  it('is left as it comes where it cannot be large', async () => {
    expect(await piecesOf({ 'content-length': '100' }, 100)).to.have.length.above(50);
  });

  it('gives whoever asks all that has come', () => {
    const request = new GatheringRequest(new Socket());
    request.headers = { 'transfer-encoding': 'chunked' };
    for (const byte of 'pieces') request.push(Buffer.from(byte));
    expect(String(request.read())).to.equal('pieces');
  });
});
