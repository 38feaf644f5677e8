/** The one module of undici that `slack-client.ts` takes; `request` and its like are added by undici as a whole. */
declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici';
  type PoolAlone = Pick<Pool, 'dispatch' | 'destroy'>;
  const PoolAlone: new (origin: string, options: Pool.Options) => PoolAlone;
  export { PoolAlone as default };
}
