import { Socket } from 'node:net';
import { HOST_OPTIONS } from '../../outbound/lookup.ts';

/** A socket that sends in one go what is written at the same time: a system call costs more than a small statement. */
export function gatheringSocket(): Socket {
  const socket = new Socket();
  const plainWrite = socket.write.bind(socket);
  const plainConnect = socket.connect.bind(socket);
  /** As pg calls it: with a port and a host, or with the path of a Unix socket. */
  const connect = (place: number | string, host?: string) =>
    host === undefined
      ? plainConnect(String(place))
      : plainConnect({ port: Number(place), host, ...HOST_OPTIONS });
  let isGathering = false;
  const send = () => {
    isGathering = false;
    socket.uncork();
  };
  const write = (...args: Parameters<typeof plainWrite>) => {
    if (!isGathering) {
      isGathering = true;
      socket.cork();
      // After the statements that `SharedStatements` sends at the end of this tick.
      process.nextTick(() => process.nextTick(send));
    }
    return plainWrite(...args);
  };
  // Not before it is connected: `connect` puts Node's own `write` in place.
  return Object.assign(socket, { connect }).once('connect', () => Object.assign(socket, { write }));
}
