import { expect } from 'chai'
import { addressBucket } from '../../../api/http/middleware/rate-limit.ts'

describe('addressBucket', () => {
  const cases: readonly (readonly [title: string, ip: string, bucket: string])[] = [
    ['an IPv4 address in its own bucket', '203.0.113.7', 'ip:203.0.113.7'],
    [
      'an IPv4 address in IPv6 notation in the bucket of the IPv4 address',
      '::ffff:203.0.113.7',
      'ip:203.0.113.7',
    ],
    [
      'an IPv4 address in IPv6 notation with hex digits in the bucket of the IPv4 address',
      '::ffff:cb00:7107',
      'ip:203.0.113.7',
    ],
    [
      'an IPv4 address in IPv6 notation with all zeros in the bucket of the IPv4 address',
      '0:0:0:0:0:FFFF:cb00:7107',
      'ip:203.0.113.7',
    ],
    ['an IPv6 address in the bucket of its /64', '2001:db8:1:2:3:4:5:6', 'ip:2001:db8:1:2::/64'],
    ['another address of the same /64 in the same bucket', '2001:0DB8:0001:0002::1', 'ip:2001:db8:1:2::/64'],
    [
      'an IPv6 address whose prefix omits zeros in the bucket of its /64',
      '2001:db8::5:6:7:8',
      'ip:2001:db8:0:0::/64',
    ],
    ['an IPv6 address with a zone in the bucket of its /64', 'fe80::1%eth0', 'ip:fe80:0:0:0::/64'],
    ['the loopback address in the bucket of its /64', '::1', 'ip:0:0:0:0::/64'],
  ]
  for (const [title, ip, bucket] of cases) {
    it(`counts ${title}`, () => expect(addressBucket(ip)).to.equal(bucket))
  }
})
