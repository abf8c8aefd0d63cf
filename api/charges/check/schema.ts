import { Type } from '@sinclair/typebox'
import { extendObject, NetworkName, nullable, PresentedAddress, strictObject } from '../../http/schema.ts'
import { Charge, ConfirmationProgress } from '../schema.ts'

/** The body of `POST /v1/charges/{id}/check`. */
export const CheckBody = strictObject(
  {
    txHash: Type.Optional(Type.String({ pattern: '^(0x)?[0-9a-fA-F]{64}$' })),
    network: Type.Optional(NetworkName),
  },
  { title: 'CheckHint', description: 'One transaction to check. Give both hash and network, or neither.' },
)

/** A charge with the findings of a check. */
export const CheckedCharge = extendObject(
  Charge,
  {
    transactionSender: nullable(PresentedAddress),
    tokenSenders: Type.Array(PresentedAddress),
    userOperationSenders: Type.Array(PresentedAddress),
    confirmationProgress: nullable(ConfirmationProgress),
  },
  { title: 'CheckedCharge', description: 'A charge with the findings of a check.' },
)
