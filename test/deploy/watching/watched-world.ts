/** A bridge as it is before anything has happened, with what Prometheus reads of it. */
import { createBridgeWorld } from '../../support/bridge-world.ts';
import { type Sample, samplesIn } from './samples.ts';

const ROUTES = `receiver: { listen: '127.0.0.1:0' }\ndefault_route: { notify: [{ slack: '#ops' }, { email: ops@example.com }] }`;

export async function samplesAtStart(): Promise<readonly Sample[]> {
  const world = await createBridgeWorld(ROUTES);
  try {
    return samplesIn(await world.metrics());
  } finally {
    await world.close();
  }
}
