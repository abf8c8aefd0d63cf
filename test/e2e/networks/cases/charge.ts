import { expect } from 'chai'
import { checkAddress } from '../../../../api/client/check-address.ts'
import { requireData } from '../../../../api/client/client.ts'
import { openCharge } from '../charges.ts'
import type { NetworkCase } from '../network-case.ts'

export const charge: NetworkCase = {
  name: 'charge',
  claim: 'accepts every token of the network for a charge, at an address derived from its terms',
  isShort: true,
  run: async (stage) => {
    const pairs = stage.chain.deployed.map(({ token }) => ({ token, network: stage.row.network }))
    const { acceptedPayments: offered } = await requireData(stage.api.GET('/v1/networks'))
    const ours = offered.filter(({ network }) => network === stage.row.network)
    expect(ours).to.have.deep.members(pairs)
    const made = await openCharge(stage, { acceptedPayments: pairs })
    expect(made).to.include({ status: 'pending', environment: stage.row.environment })
    expect(made.acceptedPayments).to.have.deep.members(pairs)
    expect(checkAddress(made)).to.not.have.length(0)
  },
}
