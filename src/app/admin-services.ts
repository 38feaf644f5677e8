/** What the admin listener shows and does, by the settings in force whenever it is asked. */
import { hostname } from 'node:os';
import type { AdminServices, Readiness, Surroundings } from '../admin/services.ts';
import type { Services } from './services.ts';

export function adminServices(services: Services): AdminServices {
  const { pipeline, ledger, metrics, reloading, onUnforeseen } = services;
  return {
    surroundings: surroundingsOf(services),
    metrics,
    readiness: () => readinessOf(services),
    archive: ledger.archive,
    operations: pipeline.operations,
    reloading,
    onUnforeseen,
  };
}

function surroundingsOf({ clock, settings, version }: Services): Surroundings {
  return {
    version,
    processName: `${hostname()}/${process.pid}`,
    now: () => clock.now(),
    display: () => settings.current.loaded.config.display,
    giveUpAfterMs: () => settings.current.delivery.giveUpAfterMs,
    redact: (text) => settings.current.redact(text),
    explainRoutes: (callback) => settings.current.explainRoutes(callback),
  };
}

async function readinessOf({ ledger, traffic }: Services): Promise<Readiness> {
  const store = await ledger.probe().then(
    () => true,
    () => false,
  );
  const room = store && (await ledger.hasRoom().catch(() => false));
  // A reload that was refused leaves a good one in force: no reason to send the service's callbacks elsewhere.
  return { store, room, config: true, accepting: !traffic.isDraining };
}
