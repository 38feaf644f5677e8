/** What people did about a callback. */
import type { ActionRecord } from '../ledger/actions/action.ts';
import type { CallbackStory } from '../ledger/archive/archive.ts';
import { type FactOf, RANK } from './facts.ts';

const KIND_OF = {
  redelivered: 'redelivered',
  dismissed: 'dismissed',
  'routed anew': 'routedByHand',
  withdrawn: 'withdrawn',
} as const;

type ActionKind = (typeof KIND_OF)[ActionRecord['what']];

export function actionFacts({ actions, deliveries }: CallbackStory): FactOf<ActionKind>[] {
  return actions.map(({ at, what, deliveryIds, actor, note, bulkId }) => {
    const concerned = deliveries.filter(({ id }) => deliveryIds.includes(id));
    const destinations = concerned.map(({ destination }) => destination);
    return { kind: KIND_OF[what], at, rank: RANK.asked, actor, note, bulkId, destinations };
  });
}
