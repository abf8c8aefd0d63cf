import { Type } from '@sinclair/typebox'
import { CHAIN_FAMILY_NAMES } from '../../shared/domain/address.ts'
import { PUBLIC_AUTHORIZATION_STATUSES } from '../../shared/domain/eip3009/authorization-status.ts'
import { SWAP_TOKENS } from '../../shared/domain/networks.ts'
import {
  ExactAmount,
  NetworkName,
  nullable,
  PresentedAddress,
  strictObject,
  stringEnum,
  TokenName,
} from '../http/schema.ts'

export const SwapAsset = stringEnum(SWAP_TOKENS, {
  title: 'SwapAsset',
  description: 'An asset that can be swapped into a stablecoin.',
})

/** An accepted pair with all that a client needs to build the transfer. */
export const PaymentOptionView = strictObject(
  {
    token: TokenName,
    network: NetworkName,
    family: stringEnum(CHAIN_FAMILY_NAMES),
    chainId: Type.Integer({ minimum: 1 }),
    contract: PresentedAddress,
    decimals: Type.Integer({
      minimum: 0,
      maximum: 18,
      description:
        'Decimals of the token on this network. They differ: USDT has 18 on bnb and 6 on the other networks.',
    }),
    dueAtomic: nullable(Type.String({ pattern: '^[1-9][0-9]*$' }), {
      description:
        'Amount to send now in the smallest unit of the token, rounded up. Null if no payment may be requested on this pair.',
    }),
    dueExact: nullable(ExactAmount, { description: '`dueAtomic` as an exact decimal.' }),
  },
  { title: 'PaymentOption' },
)

/** A payment by signature of a charge. */
export const AuthorizationView = strictObject({
  state: stringEnum(PUBLIC_AUTHORIZATION_STATUSES, {
    description:
      '`signed`: in progress, so no other authorization may be signed; `mined`: in a block, and credited after the required confirmations like every payment; `canceled`, `reverted`, `lapsed`: ended without payment.',
  }),
  txHash: nullable(Type.String(), {
    description: 'The transaction that currently executes the payment. Another transaction might replace it.',
  }),
  network: NetworkName,
  token: TokenName,
  payer: PresentedAddress,
})
