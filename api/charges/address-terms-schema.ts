import { Type } from '@sinclair/typebox'
import { CHAIN_FAMILY_NAMES } from '../../shared/domain/address.ts'
import { nullable, PresentedAddress, strictObject, stringEnum } from '../http/schema.ts'

/** All values needed to recompute the charge's address (decisions 3.1). */
export const AddressTerms = strictObject(
  {
    // Optional, because stored events contain charges that are older than this field.
    family: Type.Optional(
      stringEnum(CHAIN_FAMILY_NAMES, {
        description: 'Determines the format of the addresses and how they are computed.',
      }),
    ),
    factory: PresentedAddress,
    salt: Type.String({ pattern: '^0x[0-9a-f]{64}$', description: 'keccak256 of the id of the charge.' }),
    recipients: Type.Array(
      strictObject({
        address: PresentedAddress,
        allocation: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          description: 'Millionths of the amount left after the incentive.',
        }),
      }),
    ),
    totalAllocation: Type.Integer({ minimum: 1_000_000, maximum: 1_000_000 }),
    distributionIncentive: Type.Integer({
      minimum: 0,
      maximum: 50_000,
      description: 'Millionths of the total, paid to the account that distributes.',
    }),
    splitAddress: PresentedAddress,
    safe: nullable(
      strictObject({
        owner: PresentedAddress,
        threshold: Type.Integer({ minimum: 1, maximum: 1 }),
        singleton: PresentedAddress,
        proxyFactory: PresentedAddress,
        fallbackHandler: PresentedAddress,
      }),
      { description: 'The custody contract of an escrow charge.' },
    ),
  },
  {
    title: 'AddressTerms',
    description:
      'All values needed to recompute `address` without trusting the service: `npm run verify-address`.',
  },
)
