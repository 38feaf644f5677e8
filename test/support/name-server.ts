/** A name server on this machine that knows one name, whatever it is asked for. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer {
  readonly port: number;
  close(): void;
}

const HEADER_BYTES = 12;
/** A name is labels, each with its length, up to an empty one; its type and its class follow. */
const TYPE_AND_CLASS_BYTES = 4;
const TYPE_A = 1;

/** An answer to an open question, without an error (RFC 1035, 4.1.1). */
const ANSWER = 0x8180;
/** Points to the name of the question. */
const SAME_NAME = 0xc000 | HEADER_BYTES;

/** @param addresses IPv4 addresses that the name has; of no other type has it any */
export async function startNameServer(addresses: readonly string[]): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => socket.send(answerTo(query, addresses), port, address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, close: () => void socket.close() };
}

function answerTo(query: Buffer, addresses: readonly string[]): Buffer {
  const end = query.indexOf(0, HEADER_BYTES) + 1 + TYPE_AND_CLASS_BYTES;
  const question = query.subarray(HEADER_BYTES, end);
  const isForA = question.readUInt16BE(question.length - TYPE_AND_CLASS_BYTES) === TYPE_A;
  const records = isForA ? addresses.map(recordOf) : [];
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(query.readUInt16BE(0), 0);
  [ANSWER, 1, records.length].forEach((number, index) => header.writeUInt16BE(number, 2 * (index + 1)));
  return Buffer.concat([header, question, ...records]);
}

/** Name, type A, class IN, a second to live, four bytes. */
function recordOf(address: string): Buffer {
  const record = Buffer.alloc(12);
  [SAME_NAME, TYPE_A, 1, 0, 1, 4].forEach((number, index) => record.writeUInt16BE(number, 2 * index));
  return Buffer.concat([record, Buffer.from(address.split('.').map(Number))]);
}
