import { describe, expect, test } from 'vitest';
import { isInNetworks, readNetwork } from './networks.ts';

describe('reads addresses and subnets', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    [' 203.0.113.0/24 ', '203.0.113.0/24'],
    ['2001:DB8::/32', '2001:db8::/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['10.0.0.0/08', '10.0.0.0/8'],
  ])('%s', (text, network) => expect(readNetwork(text)).toBe(network));

  test.each([
    '',
    'example.com',
    '1.2.3',
    '1.2.3.4/33',
    '::1/129',
    '1.2.3.4/',
    '1.2.3.4/8/8',
    '1.2.3.4/-1',
    'fe80::1%eth0',
    '010.1.1.1',
  ])('not %j', (text) => expect(readNetwork(text)).toBeUndefined());
});

test.each([
  [['203.0.113.7'], '203.0.113.7', true],
  [['203.0.113.7'], '203.0.113.8', false],
  [['203.0.113.0/24'], '203.0.113.255', true],
  [['203.0.113.0/24'], '203.0.114.0', false],
  [['203.0.113.0/24'], '::ffff:203.0.113.9', true],
  [['203.0.113.0/24'], '::ffff:203.0.112.9', false],
  [['2001:db8::/32'], '2001:db8:1::1', true],
  [['2001:db8::/32'], '2001:db9::1', false],
  [['10.0.0.0/8', '2001:db8::1'], '2001:db8::1', true],
  [['0.0.0.0/0'], '2001:db8::1', false],
  [['0.0.0.0/0'], 'unknown', false],
  [['0.0.0.0/0'], '', false],
])('%j lets in %s: %s', (networks, address, isIn) => {
  expect(isInNetworks(networks, address)).toBe(isIn);
});
