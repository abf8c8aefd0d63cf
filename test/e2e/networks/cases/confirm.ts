import { expect } from 'chai'
import { requireData } from '../../../../api/client/client.ts'
import { CONFIRMED, openCharge, readCharge, SEEN, until } from '../charges.ts'
import type { NetworkCase } from '../network-case.ts'
import type { NetworkFixture } from '../network-fixture.ts'

/** Uses a chain that mines only on demand. The confirmation depth includes the paying block. */
export const confirm: NetworkCase = {
  name: 'confirm',
  claim: 'credits a payment at the confirmation depth, and not a block earlier',
  isShort: true,
  isAlone: true,
  run: async (stage) => {
    const { pace, row } = stage
    const { id, address } = await openCharge(stage)
    const payer = stage.nextPayer()
    await pace.pause()
    const txHash = await payer.submit(stage.ways[0], address, '10')
    if (row.confirmations > 1) {
      await pace.mine(row.confirmations - 1)
      await until(stage, id, SEEN)
      expect(await progressOf(stage, { id, txHash })).to.include({
        ...{ network: row.network, blocksRequired: row.confirmations },
        blocksSeen: row.confirmations - 1,
      })
      expect(await readCharge(stage, id)).to.include({ status: 'pending', amountReceivedExact: null })
    }
    await pace.mine(1)
    expect(await until(stage, id, CONFIRMED)).to.include({ amountReceivedExact: '10', txHash })
  },
}

/**
 * Checks the charge, and returns its confirmation progress. The check runs a turn of the charge, which credits every
 * confirmed payment.
 */
async function progressOf({ api, row }: NetworkFixture, payment: { id: string; txHash: string }) {
  const { id, txHash } = payment
  const call = api.POST('/v1/charges/{id}/check', {
    params: { path: { id } },
    body: { txHash, network: row.network },
  })
  return (await requireData(call)).confirmationProgress
}
