import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createConcurrencyLimit } from './concurrency-limit.ts';

const connection = (closed = false) => Object.assign(new EventEmitter(), { closed });

test('so many of one subject and no more, until one of them is closed', () => {
  const enter = createConcurrencyLimit(2, 'Too many.');
  const first = connection();
  enter('a', first);
  enter('a', connection());
  const another = () => enter('a', connection());
  expect(another).toThrow(
    expect.objectContaining({ code: 'rate_limited', message: 'Too many.', retryAfter: 15 }),
  );
  enter('b', connection());
  first.emit('close');
  expect(another).not.toThrow();
  expect(another).toThrow('Too many.');
});

test('one that is gone already takes no place', () => {
  const enter = createConcurrencyLimit(1, 'Too many.');
  enter('a', connection(true));
  expect(() => enter('a', connection())).not.toThrow();
});
