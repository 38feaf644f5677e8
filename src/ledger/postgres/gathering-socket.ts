import { Socket } from 'node:net';

/** A socket that sends in one go what is written at the same time: a system call costs more than a small statement. */
export function gatheringSocket(): Socket {
  const socket = new Socket();
  const plainWrite = socket.write.bind(socket);
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
  return socket.once('connect', () => Object.assign(socket, { write }));
}
