// This file must stay minimal: Ponder hashes its text into the build id, so each change refetches the chain.
import { ponder } from 'ponder:registry'
import { splitEvent, transfer } from 'ponder:schema'
import { toPonderSplitEvent, toPonderTransfer } from '../to-rows.ts'

ponder.on('Token:Transfer', async ({ event, context }) => {
  await context.db.insert(transfer).values(toPonderTransfer(event))
})

ponder.on('Split:SplitDistributed', async ({ event, context }) => {
  await context.db.insert(splitEvent).values(toPonderSplitEvent(event, 'distributed', event.args.distributor))
})

ponder.on('Split:PayoutHeld', async ({ event, context }) => {
  await context.db.insert(splitEvent).values(toPonderSplitEvent(event, 'held', event.args.recipient))
})

ponder.on('Split:PayoutReleased', async ({ event, context }) => {
  await context.db.insert(splitEvent).values(toPonderSplitEvent(event, 'released', event.args.recipient))
})
