import type { Hex } from '../../shared/domain/address.ts'
import { PAYER, type PayBySignatureFixture, type Written } from './pay-by-signature-fixture.ts'
import type { Stage } from './payout-fixture.ts'

const CANCEL_ABI = [
  {
    ...{ type: 'function', name: 'cancelAuthorization', stateMutability: 'nonpayable', outputs: [] },
    inputs: [{ type: 'address' }, { type: 'bytes32' }, { type: 'bytes' }],
  },
] as const

/** Has a payer cancel a signed authorization. The cancellation is mined before pending transactions. */
export async function cancelAuthorization(
  { stage, signing }: { readonly stage: Stage; readonly signing: PayBySignatureFixture },
  { nonce }: Written,
): Promise<void> {
  const signature = await PAYER.signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: 31337, verifyingContract: stage.token },
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: PAYER.address, nonce: nonce as Hex },
  })
  const args = [PAYER.address, nonce as Hex, signature]
  await signing.callAsPayer({ abi: CANCEL_ABI, functionName: 'cancelAuthorization', args })
}
