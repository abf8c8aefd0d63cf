import { expect } from 'chai'
import { getAddress, parseUnits } from 'viem'
import { requireData } from '../../../../api/client/client.ts'
import { readQrCode } from '../../../support/read-qr-code.ts'
import { openCharge } from '../charges.ts'
import type { NetworkCase } from '../network-case.ts'

export const qrCode: NetworkCase = {
  name: 'QR',
  claim:
    'returns a QR code per token that requests the amount in units of the token, on the chain of the network',
  isShort: true,
  run: async (stage) => {
    const pairs = stage.chain.deployed.map(({ token }) => ({ token, network: stage.row.network }))
    const { id, address } = await openCharge(stage, { amount: 1.5, acceptedPayments: pairs })
    for (const { token, address: contract, decimals } of stage.chain.deployed) {
      const query = { token, network: stage.row.network }
      const call = stage.api.GET('/v1/charges/{id}/qrcode', {
        params: { path: { id }, query },
        parseAs: 'text',
      })
      const target = `${getAddress(contract)}@${stage.chain.anvil.chainId}`
      expect(readQrCode(await requireData(call))).to.equal(
        `ethereum:${target}/transfer?address=${address}&uint256=${parseUnits('1.5', decimals)}`,
      )
    }
  },
}
