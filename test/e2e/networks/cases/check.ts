import { expect } from 'chai'
import { requireData } from '../../../../api/client/client.ts'
import { CONFIRMED, openCharge, until } from '../charges.ts'
import type { NetworkCase } from '../network-case.ts'

/** The check might run before or after the feed has recorded the payment. */
export const check: NetworkCase = {
  name: 'check',
  claim: 'finds a payment and its sender by the transaction hash',
  isShort: true,
  run: async (stage) => {
    const { id, address } = await openCharge(stage)
    const payer = stage.nextPayer()
    const { transactionHash: txHash } = await payer.pay(stage.ways[0], address, '10')
    const call = stage.api.POST('/v1/charges/{id}/check', {
      params: { path: { id } },
      body: { txHash, network: stage.row.network },
    })
    expect(await requireData(call)).to.deep.include({
      ...{ transactionSender: payer.address, tokenSenders: [payer.address], userOperationSenders: [] },
    })
    expect(await until(stage, id, CONFIRMED)).to.include({ amountReceivedExact: '10', txHash })
  },
}
