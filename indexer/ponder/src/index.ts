// A thin shell: Ponder hashes this file's text into its build id, so what may change lives outside.
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
