import { getTypesForEIP712Domain } from 'viem'

/** A field of EIP-712 data. viem's own type would make the declarations of the client package depend on viem. */
type TypedField = { name: string; type: string }

/** Returns the fields of an EIP-712 domain. */
export function listDomainFields(
  domain: Parameters<typeof getTypesForEIP712Domain>[0]['domain'],
): TypedField[] {
  return getTypesForEIP712Domain({ domain })
}
