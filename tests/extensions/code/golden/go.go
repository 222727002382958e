// Package store keeps things.
package store

import "errors"

const (
	MaxItems = 100
	minItems = 1
)

var ErrNotFound = errors.New("store: there is no such item")

// Item is one thing that is kept.
type Item struct {
	Key   string
	Value []byte
}

type Reader interface {
	Read(key string) (*Item, error)
}

// Get looks an item up by its key.
func (s *Store[K]) Get(key string) (*Item, error) {
	if item, ok := s.items[key]; ok {
		return item, nil
	}
	return nil, ErrNotFound
}

func newStore(size int) *Store[string] { return &Store[string]{items: make(map[string]*Item, size)} }
