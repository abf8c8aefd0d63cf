import { expect } from 'chai'
import type { Address } from '../../../shared/domain/address.ts'
import { parseAddress } from '../../../shared/domain/chain-families/chain-families.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { paymentUri } from '../../../shared/domain/payment-uri.ts'

const RECIPIENT = read('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')

describe('paymentUri', () => {
  it('returns an EIP-681 URI with a plain integer, even above the precision of a double', () => {
    const uri = paymentUri({
      family: 'evm',
      chainId: 56,
      tokenAddress: read('0x55d398326f99059fF775485246999027B3197955'),
      decimals: 18,
      recipient: RECIPIENT,
      amountAtomic: atomic(12_345_678_901_234_567_891n),
    })
    expect(uri).to.equal(
      'ethereum:0x55d398326f99059fF775485246999027B3197955@56/transfer' +
        '?address=0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed&uint256=12345678901234567891',
    )
  })

  it('returns a tron: URI with the recipient, the decimal amount and the token', () => {
    const uri = paymentUri({
      family: 'tron',
      chainId: 728126428,
      tokenAddress: read('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'),
      decimals: 6,
      recipient: read('TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf'),
      amountAtomic: atomic(10_500_000n),
    })
    expect(uri).to.equal(
      'tron:TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf?amount=10.5&token=TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    )
  })
})

function read(text: string): Address {
  return parseAddress(text) ?? expect.fail(`${text} is not an address`)
}
