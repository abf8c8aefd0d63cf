// A thin shell: Ponder hashes this file's text into its build id, so what may change lives outside.
import { ponder } from 'ponder:registry'
import { splitEvent, transfer } from 'ponder:schema'
import { splitEventRow, transferRow } from '../rows.ts'

ponder.on('Token:Transfer', async ({ event, context }) => {
  await context.db.insert(transfer).values(transferRow(event))
})

ponder.on('Split:SplitDistributed', async ({ event, context }) => {
  await context.db.insert(splitEvent).values(splitEventRow(event, 'distributed', event.args.distributor))
})

ponder.on('Split:PayoutHeld', async ({ event, context }) => {
  await context.db.insert(splitEvent).values(splitEventRow(event, 'held', event.args.recipient))
})

ponder.on('Split:PayoutReleased', async ({ event, context }) => {
  await context.db.insert(splitEvent).values(splitEventRow(event, 'released', event.args.recipient))
})
