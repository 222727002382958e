<?php

namespace App\Store;

const VERSION = '1.2.3';

/** Finds a user by mail. */
function find_user(string $mail, array $users): ?array
{
    return current(array_filter($users, fn ($user) => strcasecmp($user['mail'], $mail) === 0)) ?: null;
}

abstract class Repository implements \Countable
{
    private const LIMIT = 50;
    protected array $rows = [];

    public function count(): int { return count($this->rows) > self::LIMIT ? self::LIMIT : count($this->rows); }

    private static function normalise(string $name): string
    {
        return strtolower(trim(preg_replace('/\s+/', ' ', $name)));
    }
}
